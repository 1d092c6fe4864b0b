from django.db import migrations
from django.utils import timezone

from backend.registry.program_hash import program_declared, program_of


def programs_of_before(apps, schema_editor):
    """Programs that could be started until now may be started on: their approvals say so ("earlier")."""
    server, declaration = apps.get_model('registry', 'Server'), apps.get_model('registry', 'Declaration')
    approval = apps.get_model('registry', 'ProgramApproval')
    known = set()

    def approved(team, program, name, asked_for, key=''):
        if (team, program.hash) not in known:
            known.add((team, program.hash))
            approval.objects.create(
                team_id=team,
                hash=program.hash,
                name=name,
                config=program.shown,
                asked_for=asked_for,
                server=key,
                state='approved',
                basis='earlier',
                decided_at=timezone.now(),
            )

    for row in server.objects.filter(transport='stdio').iterator():
        program = program_of(row)
        server.objects.filter(pk=row.pk).update(program_hash=program.hash)
        if row.enabled:
            approved(row.team_id, program, row.name, 'server', row.pk)
    for row in declaration.objects.filter(state='approved').iterator():
        if row.config.get('transport') == 'stdio':
            approved(row.team_id, program_declared(row.config), row.name, 'declaration')


class Migration(migrations.Migration):

    dependencies = [
        ('registry', '0007_operator'),
    ]

    operations = [
        migrations.RunPython(programs_of_before, migrations.RunPython.noop),
    ]
