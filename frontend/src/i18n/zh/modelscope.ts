/** 魔搭为个人托管的服务器：凭令牌列出、添加，并重新获取地址。 */
import type { modelscope as source } from '../en/modelscope'
import type { Translation } from '../types'

export const modelscope: Translation<typeof source> = {
  token: '魔搭访问令牌',
  token_hint: '在魔搭账号的访问令牌页面获取。仅用于本次请求，不会保存。',
  show: '显示我的服务器',
  none: '此账号没有已部署的服务器。',
  no_address: '没有可用的地址',
  added: '已添加',
  expires: '{date} 到期',
  note: '地址加密保存，并以掩码显示。',
  hosted: '魔搭',
  look_up: '重新获取地址',
  looked_up: '已获取新地址，请测试连接。',
}
