/** A workflow over REST: the request that starts it, ready to copy, and a test of the token. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { askRest } from '@/api/offer'
import { versionQuery, type Workflow } from '@/api/workflows'
import { sentenceGap, useT } from '@/i18n'
import { docsHref } from '@/i18n/docs'
import { CodeBlock, TabPanel, Tabs, useTabsId } from '@/ui'
import { NewToken } from './ClientSetup'
import type { DoorProps } from './doors'
import { Address, DoorPage, Unpublished } from './parts'
import { LANGUAGES, type Language, requestOf } from './requests'
import { Steps, useSteps } from './Steps'

export function RestDoor({ workflow }: DoorProps) {
  const t = useT()
  const [token, setToken] = useState('')
  const url = `${window.location.origin}/api/workflows/${workflow.id}/runs`
  return (
    <DoorPage>
      <header className="grid grid-cols-1 gap-3">
        <h2 className="text-lg font-semibold">{t('share.rest')}</h2>
        {workflow.published_version === null ? <Unpublished workflow={workflow.id} /> : null}
      </header>
      <Address url={url} hint={t('share.rest_address_text')} />
      <section className="grid grid-cols-1 gap-2" aria-label={t('share.rest_request')}>
        <h3 className="section-title">{t('share.rest_request')}</h3>
        <NewToken workflow={workflow} token={token} onToken={setToken} />
        <Request workflow={workflow} url={url} token={token || t('share.token_here')} />
        <p className="text-xs text-muted">
          {t('share.rest_answer')}
          {sentenceGap()}
          <a className="link" href={docsHref('api')}>
            {t('share.rest_more')}
          </a>
        </p>
      </section>
      <RestTest workflow={workflow} token={token} />
    </DoorPage>
  )
}

interface RequestProps {
  readonly workflow: Workflow
  readonly url: string
  readonly token: string
}

function Request({ workflow, url, token }: RequestProps) {
  const t = useT()
  const id = useTabsId()
  const [language, setLanguage] = useState<Language>('curl')
  const version = workflow.published_version
  const { data } = useQuery({ ...versionQuery(workflow.id, version ?? 0), enabled: version !== null })
  const items = LANGUAGES.map(({ value, label }) => ({ value, label }))
  return (
    <>
      <Tabs
        label={t('share.rest_languages')}
        id={id}
        value={language}
        onChange={setLanguage}
        items={items}
        small
      />
      <TabPanel id={id} value={language}>
        <CodeBlock
          code={requestOf(language, url, token, data?.graph ?? workflow.draft.graph)}
          label={t('share.rest_request')}
        />
      </TabPanel>
    </>
  )
}

/** The token is shown to the API, which reads the workflow with it; nothing is started. */
function RestTest({ workflow, token }: { readonly workflow: Workflow; readonly token: string }) {
  const t = useT()
  const { steps, busy, step, during } = useSteps()
  const path = `/api/workflows/${workflow.id}`
  const test = async () => {
    await step(`GET ${path}`, async () => {
      const { published_version: version } = await askRest<Workflow>(path, token)
      return version === null
        ? [t('share.nothing_published'), false]
        : [t('share.rest_tested', { version: String(version) }), true]
    })
  }
  return (
    <Steps
      steps={steps}
      busy={busy}
      blocked={token ? undefined : t('share.test_needs_token')}
      onTest={() => void during(test)}
    />
  )
}
