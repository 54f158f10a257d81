"""Columns that findings of several questions have."""

from ventureframe.display.table import Column, columns

COMPANY_ID, FOUNDER_ID, UNIVERSITY_ID = columns(
    "id",
    company_uuid="Company UUID",
    founder_uuid="Founder UUID",
    university_uuid="University UUID",
)
COMPANY, FOUNDER = columns("text", company_name="Company", founder_name="Founder")
CITY, COUNTRY = columns("text", hq_city="City", hq_country="Country")
STATUS = Column("company_status", "Status")
FOUNDED = Column("launch_date", "Founded", "year")
SECTORS = Column("sectors", "Sectors", "tag")
SITE = Column("website_domain", "Website", "link")
# a total comes converted: one without a rate cannot be told from one that is not
# reported
FUNDING = Column("total_funding", "Total funding", "money")
