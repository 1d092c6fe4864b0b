import type { grants as source } from '../en/grants'
import type { Translation } from '../types'

export const grants: Translation<typeof source> = {
  title: '长期审批',
  text: '这些工具的调用已获长期允许，不再询问。',
  failed: '无法加载长期审批。',
  export: '导出',
  of_tool: '任意调用',
  of_arguments: '仅限相同参数',
  gone: '已删除的工作流',
  void: '已失效',
  void_tip: '工具或服务器此后有改动，调用会重新询问。',
  withdraw: '撤回',
  withdraw_of: '撤回 {workflow} 中 {tool} 的审批',
  withdraw_title: '撤回此审批？',
  withdraw_text: '{workflow} 下次调用 {tool} 时会重新询问。',
}
