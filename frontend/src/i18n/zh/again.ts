/** Sentences of running again in Chinese. */
import type { again as en } from '../en/again'
import type { Translation } from '../types'

export const again: Translation<typeof en> = {
  retry: '从失败的步骤重试',
  retry_short: '重试',
  go_on: '从中断处继续',
  retry_title: '从“{step}”重试',
  fork_title: '从“{step}”分叉',
  fork_here: '从此处分叉运行',
  fork_from: '从“{step}”分叉运行',
  fork_around: '从包含此步骤的外层步骤分叉运行',
  start: '启动新运行',
  looking: '正在查询哪些步骤会再次运行。',
  with_draft: '使用当前草稿',
  with_draft_hint: '否则新运行使用此运行的文档。',
  inputs: '输入',
  writes: { one: '{n} 次写入将会或可能再次发生', other: '{n} 次写入将会或可能再次发生' },
  writes_hint: {
    one: '它发生在此运行中，位于新运行的起点之后。',
    other: '它们发生在此运行中，位于新运行的起点之后。',
  },
  writes_more: { one: '另有 {n} 次', other: '另有 {n} 次' },
  no_writes: '不会重复写入：将再次运行的步骤都没有写入过内容。',
  write_below: '位于“{step}”运行的工作流中',
  outcome_done: '已发生',
  outcome_failed: '失败',
  outcome_unknown: '可能已发生',
  outcome_unknown_tip: '没有收到应答，结果未知。启动前请先查看对方系统。',
  steps: '步骤',
  kept: { one: '沿用 {n} 个', other: '沿用 {n} 个' },
  runs: { one: '运行 {n} 个', other: '运行 {n} 个' },
  why_changed: '此后有改动',
  why_unfinished: '未结束',
  taken_over: '沿用',
  origin: '来自较早的运行',
  origin_from: '来自较早运行的“{step}”',
}
