/** The servers that were found in a configuration, each with what it asks for. */
import { visible } from '@/ui'
import { FoundServer } from './FoundServer'
import type { useServerMatches } from './importing'

export function FoundList({ all }: { readonly all: ReturnType<typeof useServerMatches> }) {
  return (
    <>
      {all.found.map((server) => (
        <FoundServer
          key={server.name}
          server={server}
          chosen={all.isChosen(server)}
          answers={all.answers[server.name] ?? {}}
          onChoose={(on) => all.mark(server.name, on)}
          onAnswer={(id, answer) =>
            all.setAnswers({ ...all.answers, [server.name]: { ...all.answers[server.name], [id]: answer } })
          }
        />
      ))}
      {all.skipped.map(({ name, reason }) => (
        <p key={name} className="text-sm text-muted">
          <b className="font-medium text-fg">{visible(name)}</b> {reason}
        </p>
      ))}
    </>
  )
}
