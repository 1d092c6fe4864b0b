/** A picture for a server, by what its name says it is about; else by how it is reached. */
import { Bot, Server, Terminal } from 'lucide-react'
import { serverIcon } from '@/graph/nodes/icons'

export function ServerIcon({
  slug,
  transport,
  size = 16,
}: {
  slug: string
  transport: string
  size?: number
}) {
  const Icon = transport === 'a2a' ? Bot : serverIcon(slug, transport === 'stdio' ? Terminal : Server)
  return <Icon size={size} strokeWidth={1.5} aria-hidden className="shrink-0" />
}
