"""The question about a list of companies, and the study that answers it."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from ventureframe.client.frames import empty
from ventureframe.client.result import withholding
from ventureframe.display.wording import counted
from ventureframe.errors import UnsupportedValue
from ventureframe.evidence import question
from ventureframe.evidence.members import member
from ventureframe.evidence.question import Fetch, Plan, Records
from ventureframe.interface import fields
from ventureframe.interface.fields import Currency
from ventureframe.interface.files import home
from ventureframe.matching import decisions, lists
from ventureframe.matching.lists import List
from ventureframe.matching.match import Match, match
from ventureframe.panel.panel import Panel, show_widget
from ventureframe.studies.hiring.find import find as find_hiring
from ventureframe.studies.hiring.find import ranked
from ventureframe.studies.hiring.question import read
from ventureframe.studies.institutions.find import find as find_institutions
from ventureframe.studies.mine.find import find
from ventureframe.studies.mine.study import Study

_NO_NEWS = pl.DataFrame(schema={"news_item_id": pl.Int64, "entity_id": pl.String})
"""The companies that news is linked with: none, as no news is fetched."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Question(question.Question[Study]):
    """What do the records know of the companies of my list?

    Parameters
    ----------
    list : Any
        A file, a pasted block, a frame, or what `vf.match` gives.
    decided : str | None
        The file of `to_check` with yes or no under Decision; else the decisions that
        `decide` keeps beside the notebook.
    name : str | None
        The heading of the column of names, where it is not recognised.
    website : str | None
        The heading of the websites.
    city : str | None
        The heading of the cities.
    year : str | None
        The heading of the founding years.
    sheet : str | None
        The sheet of a workbook that has several.
    rounds_of : int
        For how many companies, first of the ranking, rounds are requested: a request
        for each.
    currency : {"USD", "EUR", "GBP"}
        Currency of all amounts: USD, EUR or GBP.
    at_most : int | None
        Before it sends more requests, repeats not counted, the study ends with what
        it has.
    at_most_credits : int | None
        Before it can spend more credits, the study ends with what it has; see
        `Query.fetch`.

    Examples
    --------
    >>> import ventureframe as vf
    >>> mine = vf.mine.study(vf.connect(), list="Company\\tCity\\nNo Such Firm\\tOslo")
    >>> mine.match
    1 row: 1 not found
    Name = Company · website: none · city = City · year: none
    """

    study_class = Study
    columns = {  # noqa: RUF012  # a constant, and no member of the question
        "name": "name",
        "website": "domain",
        "city": "place",
        "year": "year",
    }
    """What each member that names a column says that the column means."""

    list: Any = member(
        "Your list", "list", "a file, a pasted block, a frame, or what `vf.match` gives"
    )
    decided: str | None = member(
        "Decisions", "text", "a file in place of those made in the notebook"
    )
    name: str | None = member("Column of names", "text", "its heading in the list")
    website: str | None = member("Column of websites", "text", "its heading")
    city: str | None = member("Column of cities", "text", "its heading")
    year: str | None = member("Column of years", "text", "its heading")
    sheet: str | None = member("Sheet", "text", "the sheet of a workbook")
    rounds_of: int = 50

    @property
    def written(self) -> str:
        """The question as the text of a TOML file, with the whole path of a list's
        file, which is then found from any folder, and of the decisions.
        """
        question = replace(self, decided=self._decided)
        with suppress(OSError, UnsupportedValue):  # a pasted block is no file name
            if isinstance(self.list, str) and home(self.list).is_file():
                question = replace(question, list=str(home(self.list).resolve()))
        return super(Question, question).written

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The question as literals: a frame, or a list that is matched, as the block
        it was.
        """
        literal = self.list.list.text if isinstance(self.list, Match) else self.list
        return {**super().parameters, "list": literal}

    def found(self, records: Records) -> Match:
        """The list held against the records."""
        companies, decided = self._required_list(), self._decided
        if isinstance(companies, Match):
            return companies.decide(decided) if decided else companies
        return match(records.service, companies, decided=decided, **self._columns)

    def count(self, records: Records) -> Plan:
        """Count the rows: each can be a company. Where the service searches for them,
        as `match` says beforehand, that costs requests and no credits.
        """
        svc, rows = records.service, self.table.frame.height
        companies = svc.companies.by_id(()).with_all("founders")
        queries = [companies, svc.founders.by_id(()), svc.jobs.at(())]
        then = [query.cost(many=rows) for query in queries]
        then.append(svc.rounds_of(()).cost(many=min(rows, self.rounds_of)))
        is_sent = not (isinstance(self.list, Match) or svc.source.is_embedded)
        if is_sent and not svc.connection.profile.finds_companies:
            then.append(svc.companies.cost())
        text = f"{counted(rows, 'row')} of the list, then the companies found"
        return question.costing(text, then=then)

    @property
    def table(self) -> List:
        """The list as it is read; raises `UnsupportedValue` where it cannot be."""
        companies = self._required_list()
        if isinstance(companies, Match):
            return companies.list
        return lists.read(companies, **self._columns)

    @property
    def _columns(self) -> dict[str, Any]:
        """What the columns mean, as `match` takes it."""
        named = {mean: getattr(self, name) for name, mean in self.columns.items()}
        named["sheet"] = self.sheet
        return named

    @property
    def _decided(self) -> str | None:
        """The file of decisions that is named, else the one beside the notebook."""
        file = decisions.beside_notebook()
        return str(file) if self.decided is None and file.is_file() else self.decided

    def _required_list(self) -> Any:
        """The list; raises `UnsupportedValue` where none is given."""
        if self.list is None:
            reason = "paste a list, or name its file"
            raise UnsupportedValue(None, field="list", reason=reason)
        return self.list

    def _studied(self, records: Records, currency: Currency, fetch: Fetch) -> Study:
        svc, result = records.service, self.found(records)
        query = svc.companies.by_id(result.uuids).with_all("founders")
        fetched = fetch(query.currency(currency))
        companies, pairs = fetched.to_polars(), fetched.to_polars("founders")
        uuids = pairs["founder_uuid"].drop_nulls().unique().sort()
        people = fetch(svc.founders.by_id(uuids))
        founders = people.to_polars()
        jobs = fetch(svc.jobs.at(companies["uuid"].to_list()))
        postings = jobs.to_polars()
        first = ranked(companies, postings)[: self.rounds_of]
        rounds = fetch(svc.rounds_of(first).currency(currency))
        hired = find_hiring(
            companies=companies,
            jobs=postings,
            news=empty(fields.NEWS),
            news_companies=_NO_NEWS,
            jobs_asked=read(svc.jobs, jobs),
            rounds=rounds.to_polars(),
            rounds_asked=rounds.asked,
            currency=currency,
            scope=result.list.name,
            seen=jobs.provenance.day,
        )
        linked = find_institutions(
            companies=companies,
            company_founders=pairs,
            founders=founders,
            education=people.to_polars("education"),
            currency=currency,
        )
        is_withheld = pl.col("founder_uuid").is_in(withholding(people, "education"))
        of_withheld = pairs.filter(is_withheld)["company_uuid"]
        return find(
            match=result,
            hired=hired,
            linked=linked,
            company_founders=pairs,
            founders=founders,
            company_tags=fetched.to_polars("tags"),
            withheld={*withholding(fetched, "founders"), *of_withheld},
        )


study = Question.ask


def decide(form: Panel[Study]) -> None:
    """Show the candidates of a form's list with yes and no beside each.

    A press is kept at once in the CSV beside the notebook, where every later run finds
    it, and answer and tables follow; pressed again, it is taken back. Nothing is
    requested of a live service.
    """
    # widgets are loaded only where they are displayed
    from ventureframe.panel.decider import Decider  # noqa: PLC0415

    decider = Decider(form)
    show_widget(decider)
    form.display(decider.shown)
