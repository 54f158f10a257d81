"""How anything is shown: wording, tables, figures."""
