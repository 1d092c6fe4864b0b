/** The three lists of the registry, each a page of its own: servers, collections, agents. Its words come with those pages. */
import { Bot, LibraryBig, Server } from 'lucide-react'
import { Link } from 'wouter'
import { useT } from '@/i18n'

const LISTS = [
  { name: 'servers', href: '/registry', word: 'registry.servers', icon: Server },
  { name: 'collections', href: '/collections', word: 'registry.collections', icon: LibraryBig },
  { name: 'agents', href: '/agents', word: 'registry.agents', icon: Bot },
] as const

export function RegistryLists({ at }: { readonly at: (typeof LISTS)[number]['name'] }) {
  const t = useT()
  return (
    <nav className="flex flex-wrap items-center gap-1 phone:gap-0.5" aria-label={t('registry.lists')}>
      {LISTS.map(({ name, href, word, icon: Icon }) => (
        <Link
          key={name}
          href={href}
          className="btn btn-quiet phone:px-2"
          aria-current={name === at ? 'true' : undefined}
        >
          <Icon aria-hidden />
          {t(word)}
        </Link>
      ))}
    </nav>
  )
}
