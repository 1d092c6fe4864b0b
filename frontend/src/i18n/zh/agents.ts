/** 外部智能体（A2A）。 */
import type { agents as source } from '../en/agents'
import type { Translation } from '../types'

export const agents: Translation<typeof source> = {
  list_add: '添加智能体',
  list_find: '查找智能体或技能',
  list_one: '智能体',
  list_all: '智能体',
  list_skills: '技能',
  list_load_failed: '无法加载智能体。',
  list_none_here: '此处没有智能体。',
  list_none_fits: '没有匹配的智能体或技能。',
  list_empty_title: '还没有智能体',
  list_empty_text:
    '添加支持 A2A 的智能体，无论在内网还是外部。其技能会成为工作流可用的工具，遵循同样的策略和审批。',
  list_tab: '连接与技能',
  list_refresh: '重新读取名片',
  list_delete: '删除智能体',
  list_try: '试用技能',
  address: '智能体 URL',
  address_hint: '消息和凭据只会发往该主机。',
  card: '名片 URL（可选）',
  card_hint: '留空则为智能体 URL 下的 /.well-known/agent-card.json。',
  foreign_title: '名片指向其他主机。',
  foreign_text: '该智能体位于 {host}，消息和凭据将发往该处。',
  foreign_use: '使用 {host}',
  needs_address: '请填写智能体 URL',
  skills: '{n} 项技能',
  more: '另有 {n} 项',
  adding_sends_nothing: '添加时不会发送消息。测试会读取名片，并检查智能体是否应答。',
}
