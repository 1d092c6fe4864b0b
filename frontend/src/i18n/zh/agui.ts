/** 作为 AG-UI 前端智能体的工作流。 */
import type { agui as English } from '../en/agui'
import type { Translation } from '../types'

export const agui: Translation<typeof English> = {
  title: '前端（AG-UI）',
  door_text: '供您自己的应用或页面使用',
  offered: '提供给前端（AG-UI）',
  is_offered: '已提供',
  is_not_offered: '未提供',
  not_runnable: '版本 {version} 已无法在此运行，请重新发布。',
  address_text: '请从您的应用后端调用，并使用成员的令牌。',
  origins_none: '其他网站的页面不能直接调用。运维人员可在 PATCHBAY_AGUI_ORIGINS 中列出允许的网站。',
  origins: '以下网站的页面可以直接调用：{sites}',
  setup: '接入您的应用',
  setup_text: '使用 AG-UI 的 JavaScript 客户端（npm：@ag-ui/client）：',
  token_here: '<令牌>',
  token_name: '前端：{workflow}',
  new_token: '新建令牌',
  token_once:
    '令牌已填入下方代码。请立即复制，之后不再显示。它可以运行此工作流并回答其表单，有效期 90 天。请将它保存在您的服务器上。',
  viewer: '编辑者可以为前端创建令牌。',
  values_text: '此工作流不接收消息。请通过 state 或 forwardedProps 传入其输入。',
  test: '实时测试',
  test_text: '启动一次运行，并实时列出收到的事件',
  test_message: '消息',
  test_hello: '你好',
  test_action: '运行',
  test_needs_token: '请先创建令牌。',
  test_events: '事件',
  test_failed: '测试失败',
  who_text: '运行以令牌所属成员的身份进行。前端可以回答表单和缺少的参数；批准在收件箱中进行。',
}
