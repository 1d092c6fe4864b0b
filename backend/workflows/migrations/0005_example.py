from django.db import migrations, models

import backend.database.covering

EXAMPLES = {
    "work-on-files": [
        ("Work on files", "Reads a folder that you choose and, after your approval, writes an overview into it."),
        ("处理文件", "查看您指定的文件夹，并在您批准后把概览写入其中。"),
    ],
    "what-time-is-it-there": [
        ("What time is it there?", "Asks a server for the time in another place and puts it into a sentence."),
        ("那里现在几点？", "向服务器查询另一地的时间，并用一句话说出来。"),
    ],
    "a-tour": [
        ("A tour", "Parallel tools with progress, a branch, slow steps, and a destructive tool that asks you first."),
        ("功能导览", "并行工具与进度、分支、较慢的步骤，以及执行前会先询问您的破坏性工具。"),
    ],
    "ask-before-it-writes": [
        ("Ask before it writes", "An agent reads a git repository and writes a file after you approve what it writes."),
        ("写入之前先询问", "智能体读取 git 仓库并写入文件，写入之前须经您批准。"),
    ],
    "research-and-report": [
        (
            "Research and report",
            "Reads a page, lets an agent follow up on what matters, and answers with its sources.",
        ),
        ("调研并撰写报告", "读取网页，由智能体追踪要点，并附上来源作答。"),
    ],
}
"""What the templates were called until here, and described as: only what was made from one has both."""


def mark(apps, schema_editor):
    workflows = apps.get_model("workflows", "Workflow").objects
    for example, texts in EXAMPLES.items():
        for name, description in texts:
            workflows.filter(name=name, description=description).update(example=example)


class Migration(migrations.Migration):

    dependencies = [
        ('workflows', '0004_words'),
    ]

    operations = [
        migrations.AddField(
            model_name='workflow',
            name='example',
            field=models.CharField(blank=True, db_default='', default='', max_length=63),
        ),
        migrations.RemoveIndex(
            model_name='workflow',
            name='workflow_words',
        ),
        migrations.AddIndex(
            model_name='workflow',
            index=backend.database.covering.CoveringTexts(fields=['team', '-updated_at', '-id', 'name', 'slug', 'description', 'example'], name='workflow_words'),
        ),
        migrations.RunPython(mark, migrations.RunPython.noop),
    ]
