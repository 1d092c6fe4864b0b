/** Sentences of runs that a restore paused. */
export const restored = {
  title: 'Restored runs',
  title_one: 'Restored run',
  note: 'Restored from the backup of {time}: possible writes since then',
  note_short: 'Restored: see writes',
  strip: {
    one: '{n} run was active when the backup was made and is paused since the restore.',
    other: '{n} runs were active when the backup was made and are paused since the restore.',
  },
  review: 'Review',
  warning:
    'The backup does not contain what a run did after it was made. When resumed, a run makes the calls below, perhaps for the second time. Check the target systems first.',
  none: 'No runs are paused by a restore.',
  as_of: 'as of {time}',
  resume_all: 'Resume all',
  resume_one: 'Resume the run of {workflow}',
  was_paused: 'was paused',
  was_paused_tip: 'Somebody had paused it before the backup was made, so Resume all leaves it alone.',
  writes: {
    one: '{n} possible write since then',
    other: '{n} possible writes since then',
  },
  no_writes: 'No call ahead of it is known to write.',
  more_runs: { one: 'and {n} more run', other: 'and {n} more runs' },
  any_tool: 'any tool',
  began: 'in progress',
  began_tip: 'The call was in progress when the backup was made. The run asks about it before it continues.',
  ahead: 'may have happened',
  ahead_tip: 'The step had not ended when the backup was made. Whether it has called this since is unknown.',
  below: '{step}, in {workflow}',
} as const
