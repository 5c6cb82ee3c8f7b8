from __future__ import annotations

from datetime import date

from project import Project

MAX = date(9999, 12, 31)


def test_the_customer_example_of_the_spec(project: Project) -> None:
    project.model(
        "customer_scd2",
        "select customer_id, region, segment from main.customer_master",
        {"unique_key": "customer_id", "tracked_columns": ["region"], "effective_date": "{snapshot_date}"},
    )
    project.table(
        "customer_master",
        "customer_id varchar, region varchar, segment varchar",
        [("C1", "West", "SMB"), ("C2", "East", "Enterprise")],
    )
    first = project.run(vars={"snapshot_date": "2026-01-01"})
    assert project.history("customer_scd2") == [
        ("C1", "West", "SMB", date(2026, 1, 1), MAX, True),
        ("C2", "East", "Enterprise", date(2026, 1, 1), MAX, True),
    ], first.log

    project.execute("update customer_master set region = 'Central' where customer_id = 'C1'")
    second = project.run(vars={"snapshot_date": "2026-04-01"})
    assert project.history("customer_scd2") == [
        ("C1", "Central", "SMB", date(2026, 4, 1), MAX, True),
        ("C1", "West", "SMB", date(2026, 1, 1), date(2026, 4, 1), False),
        ("C2", "East", "Enterprise", date(2026, 1, 1), MAX, True),
    ], second.log
    assert second.messages["customer_scd2"] == (
        "SCD2 2026-04-01: 0 opened, 1 changed, 0 restated, 0 closed, 0 removed, 1 unchanged"
    )
    assert second.responses["customer_scd2"]["rows_affected"] == 2
