/** How the MCP clients that people use are told of an address: the file or command of each, ready to copy. */

export interface Setup {
  readonly name: string
  /** The file that the text belongs into; null = it is a command. */
  readonly file: string | null
  readonly text: string
}

export const CLIENTS = ['claude', 'cursor', 'vscode', 'desktop', 'other'] as const
export type Client = (typeof CLIENTS)[number]

const json = (value: unknown): string => JSON.stringify(value, null, 2)

/** `token` stands in the text as it is; a word in its place where there is none yet. */
export function setupOf(client: Client, url: string, token: string, server = 'patchbay'): Setup {
  const header = `Authorization: Bearer ${token}`
  const headers = { Authorization: `Bearer ${token}` }
  switch (client) {
    case 'claude':
      return {
        name: 'Claude Code',
        file: null,
        text: `claude mcp add --transport http ${server} ${url} \\\n  --header "${header}"`,
      }
    case 'cursor':
      return {
        name: 'Cursor',
        file: '~/.cursor/mcp.json',
        text: json({ mcpServers: { [server]: { url, headers } } }),
      }
    case 'vscode':
      return {
        name: 'VS Code',
        file: '.vscode/mcp.json',
        text: json({ servers: { [server]: { type: 'http', url, headers } } }),
      }
    case 'desktop':
      return {
        name: 'Claude Desktop',
        file: 'claude_desktop_config.json',
        text: json({
          mcpServers: {
            [server]: { command: 'patchbay', args: ['mcp', '--url', url], env: { PATCHBAY_TOKEN: token } },
          },
        }),
      }
    case 'other':
      return { name: '', file: null, text: `${url}\n${header}` }
  }
}
