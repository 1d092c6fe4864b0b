/** 服务器的资源与提示词：节点编辑器和服务器页面上的文字。 */
import type { contents as source } from '../en/contents'
import type { Translation } from '../types'

export const contents: Translation<typeof source> = {
  choose_resource: '从服务器中选择',
  nothing_chosen: '请选择…',
  resources: '资源',
  templates: 'URI 模板',
  uri: 'URI',
  uri_hint: '服务器列出的资源、服务器的 URI 模板，或返回 URI 的表达式。',
  arguments: '参数',
  prompt: '提示词',
  unknown_prompt: '{name}（未列出）',
  no_arguments: '此提示词没有参数。',
  choose_first: '选择提示词后显示其参数。',
  failed: '无法向服务器查询其提供的内容。',
  nothing_offered: '服务器未提供任何内容。',
  prompts: '提示词',
  read: '读取',
  read_again: '重新读取',
  fill: '填写',
  try: '试用',
  get_prompt: '填写提示词',
  given: '已返回',
  empty: '内容为空。',
  unreadable_template: '此 URI 模板的形式无法在这里填写。',
  list_anew: '重新向服务器查询',
  kept_public: '可在 {time} 内向全团队显示',
  kept_private: '可在 {time} 内仅向您显示',
  editors_only: '查看服务器提供的内容需要连接服务器，因此仅限编辑者。',
  is_off: '服务器已停用。',
}
