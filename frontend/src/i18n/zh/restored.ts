/** Sentences of runs that a restore paused, in Chinese. */
import type { restored as en } from '../en/restored'
import type { Translation } from '../types'

export const restored: Translation<typeof en> = {
  title: '已恢复的运行',
  title_one: '已恢复的运行',
  note: '恢复自 {time} 的备份：查看此后可能发生的写入',
  note_short: '已恢复：查看写入',
  strip: {
    one: '备份时有 {n} 个运行正在进行，恢复后已暂停。',
    other: '备份时有 {n} 个运行正在进行，恢复后已暂停。',
  },
  review: '查看',
  warning: '备份不包含运行在备份之后做过的事。继续后，运行会发出以下调用，可能是第二次。请先到对方系统核实。',
  none: '没有因恢复而暂停的运行。',
  as_of: '状态截至 {time}',
  resume_all: '全部继续',
  resume_one: '继续“{workflow}”的运行',
  was_paused: '此前已暂停',
  was_paused_tip: '备份之前已有人暂停此运行，因此“全部继续”不会继续它。',
  writes: { one: '此后可能发生的写入：{n} 处', other: '此后可能发生的写入：{n} 处' },
  no_writes: '后续步骤中没有已知的写入。',
  more_runs: { one: '另有 {n} 个运行', other: '另有 {n} 个运行' },
  any_tool: '任意工具',
  began: '进行中',
  began_tip: '备份时调用正在进行。运行在继续之前会就此询问。',
  ahead: '可能已发生',
  ahead_tip: '备份时此步骤尚未结束。此后是否调用过，无法得知。',
  below: '{step}，位于 {workflow}',
}
