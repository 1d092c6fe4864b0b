/** 工具架与快速添加菜单的文字。 */
import type { palette as english } from '../en/palette'
import type { Translation } from '../types'

export const palette: Translation<typeof english> = {
  add_server: '添加服务器',
  drag_hint: '拖到画布上，或按回车键',
  empty: '没有匹配的内容。',
  failed: '无法读取工具',
  group_ai: 'AI',
  group_data: '数据',
  group_flow: '流程',
  group_mcp: 'MCP',
  group_people: '人工',
  hide: '隐藏面板',
  label: '工具与节点',
  loading: '正在读取工具',
  more_tools: '还有 {n} 个',
  no_servers: '还没有服务器。添加后，它的工具会显示在这里。',
  no_tools: '尚无已知工具。请测试连接以读取工具。',
  nodes: '节点',
  off: '已停用',
  quick_label: '添加节点',
  quick_placeholder: '工具或节点',
  retry: '重试',
  search: '搜索工具与节点',
  servers: '服务器',
  show: '显示工具与节点',
  status_error: '失败',
  status_ok: '正常',
  status_ok_ms: '正常，{ms} 毫秒',
  status_unknown: '未测试',
}
