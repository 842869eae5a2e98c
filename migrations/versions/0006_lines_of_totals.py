"""Totals of all time, and of the lines over time: made of those by day and by month"""

from alembic import op

revision = '0006'
down_revision = '0005'
branch_labels = None
depends_on = None

COUNTS = (
    'attempts', '"right"', 'credit', 'guess', 'guess_right', 'fairly_sure', 'fairly_sure_right', 'certain',
    'certain_right', 'under_15', 'under_30', 'under_60', 'under_120', 'under_300', 'longer',
)
KEYS = ('person_id', 'span', 'start', 'topic', 'level', 'kind', 'mode', 'belief')


def upgrade() -> None:
    _add('month', 'ever', start="date('1970-01-01')")
    for span in ('day', 'month'):
        _add(span, f'line-{span}', topic="''", level='0', kind="''")
        _add(span, f'line-{span}', topic="''", level='0', kind="''", mode="''")


def _add(source: str, span: str, **rolled_up: str) -> None:
    """Add rows of a span: the sums of another one's, with some of their keys rolled up."""
    keys = {name: rolled_up.get(name, name) for name in KEYS} | {'span': f"'{span}'"}
    sums = ', '.join(f'SUM({name})' for name in COUNTS)
    kept = ', '.join(name for name in KEYS if name != 'span' and name not in rolled_up)
    only = '' if span == 'ever' else "AND belief = ''"
    op.execute(
        f"INSERT INTO practice_totals ({', '.join(KEYS)}, {', '.join(COUNTS)}, newest) "
        f"SELECT {', '.join(keys.values())}, {sums}, MAX(newest) FROM practice_totals "
        f"WHERE span = '{source}' {only} GROUP BY {kept}"
    )


def downgrade() -> None:
    op.execute("DELETE FROM practice_totals WHERE span NOT IN ('day', 'month')")
