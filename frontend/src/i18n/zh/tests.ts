/** Sentences of saved tests in Chinese. */
import type { tests as en } from '../en/tests'
import type { Translation } from '../types'

export const tests: Translation<typeof en> = {
  tab: '测试',
  save: '将运行保存为测试',
  save_do: '保存测试',
  save_text: '保存此运行中工具、模型和人员的应答。测试用这些应答离线运行工作流，并显示哪些节点的结果不同。',
  saved: '测试“{name}”已保存。',
  name: '测试名称',
  name_first: '请为测试命名。',
  none: '尚无测试',
  none_text: '点击运行工具栏中的烧瓶图标，将运行保存为测试。应答会保存下来，您无需调用任何服务即可检验改动。',
  right: { one: '{all} 个中有 {n} 个结果相同', other: '{all} 个中有 {n} 个结果相同' },
  run_all: '全部运行',
  run: '运行测试“{name}”',
  delete: '删除测试“{name}”',
  delete_title: '删除“{name}”？',
  delete_text: '其记录的应答将一并删除。',
  delete_do: '删除测试',
  never: '尚未运行',
  same: '结果相同',
  differ: { one: '{n} 个节点不同', other: '{n} 个节点不同' },
  nodes_same: { one: '{all} 个节点中有 {n} 个结果相同。', other: '{all} 个节点中有 {n} 个结果相同。' },
  offline: '未调用任何服务。',
  no_answer: '没有 {target} 的记录应答',
  node_same: '相同',
  node_differs: '不同',
  node_missing: '未记录',
  node_unreached: '未到达',
  node_new: '新增',
}
