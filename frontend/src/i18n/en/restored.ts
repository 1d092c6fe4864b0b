/** Sentences of runs that a restore paused. */
export const restored = {
  title: 'Restored runs',
  title_one: 'Restored run',
  note: 'Restored from the backup of {time}: what it may have written since',
  note_short: 'Restored: see writes',
  strip: {
    one: '{n} run was going on when the backup was made, and is paused since the restore.',
    other: '{n} runs were going on when the backup was made, and are paused since the restore.',
  },
  review: 'Review',
  warning:
    'The backup does not know what a run did after it was made. Going on, a run makes the calls below: perhaps for the second time. Look at the other side first.',
  none: 'No run is paused since a restore.',
  as_of: 'as it stood at {time}',
  resume_all: 'Resume all',
  resume_one: 'Resume the run of {workflow}',
  was_paused: 'was paused',
  was_paused_tip: 'Somebody had paused it before the backup was made, so Resume all leaves it alone.',
  writes: {
    one: '{n} place that may have written since',
    other: '{n} places that may have written since',
  },
  no_writes: 'Nothing ahead of it is known to write.',
  more_runs: { one: 'and {n} more run', other: 'and {n} more runs' },
  any_tool: 'any tool',
  began: 'had begun',
  began_tip: 'The call was under way when the backup was made. The run asks about it before it goes on.',
  ahead: 'may have happened',
  ahead_tip:
    'The step had not ended when the backup was made. Whether it called this since, nobody here knows.',
  below: '{step}, in {workflow}',
} as const
