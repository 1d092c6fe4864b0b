/** Sentences of runs that the bar of the editor says before the others are there. */
export const runsFirst = {
  title: 'Runs',
  run: 'Run',
  run_alone: 'Run this step alone',
  run_to_here: 'Run to here',
  start: 'Start run',
  blocked_problems: {
    one: '{n} problem prevents it from running',
    other: '{n} problems prevent it from running',
  },
  blocked_viewer: 'Running requires the editor role.',
  rate_limited: 'Too many starts. Try again in {n} s.',
  stop: 'Stop',
  stopping: 'Stopping',
  pause: 'Pause',
  resume: 'Resume',
  control_failed: 'The run did not accept this: {why}',
  waits_for_you: 'waits for you',
  waits_for_timer: 'waits until {time}',
  tokens: { one: '{n} token', other: '{n} tokens' },
} as const
