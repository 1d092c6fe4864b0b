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
}
