/** The page that people without an account see: its words, then a form or a chat; or why there is neither. */
import { Suspense, useCallback, useEffect, useState } from 'react'
import { fetchCode } from '../loading/fetch-code'
import { lazily } from '../loading/lazily'
import { type About, asRefusal, getAbout, type Refusal } from './client'
import { Form } from './Form'
import { Notice } from './Notice'
import { Prose } from './Prose'
import { words } from './words'

const Talk = lazily(async () => ({ default: (await fetchCode(() => import('./Talk'))).Talk }))

function useAbout() {
  const [about, setAbout] = useState<About | null>(null)
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  const load = useCallback(() => {
    setRefusal(null)
    getAbout().then(setAbout, (thrown) => setRefusal(asRefusal(thrown)))
  }, [])
  useEffect(load, [load])
  return { about, refusal, load }
}

export function Visitor() {
  const { about, refusal, load } = useAbout()
  const title = about ? about.title || words[about.show] : ''
  useEffect(() => {
    if (title) document.title = title
  }, [title])
  if (refusal) return <Closed refusal={refusal} onRetry={load} />
  if (!about)
    return (
      <main aria-busy>
        <p className="busy" role="status">
          {words.loading}
        </p>
      </main>
    )
  return (
    <main>
      <h1>{title}</h1>
      {about.show === 'chat' ? (
        <Suspense fallback={<p className="busy">{words.loading}</p>}>
          <Talk greeting={about.text} />
        </Suspense>
      ) : (
        <>
          {about.text ? <Prose text={about.text} /> : null}
          <Form about={about} />
        </>
      )}
    </main>
  )
}

function Closed({ refusal, onRetry }: { readonly refusal: Refusal; readonly onRetry: () => void }) {
  const [heading, hint] =
    refusal.status === 404
      ? [words.gone, words.gone_hint]
      : refusal.status === 401
        ? [words.sign_in, words.sign_in_hint]
        : ['', '']
  useEffect(() => {
    document.title = heading || refusal.message
  }, [heading, refusal])
  return (
    <main>
      {heading ? (
        <div role="alert">
          <h1>{heading}</h1>
          <p>{hint}</p>
        </div>
      ) : (
        <Notice refusal={refusal} />
      )}
      <p className="row">
        {refusal.status === 401 ? (
          <a href="/" target="_blank" rel="noopener">
            {words.open_sign_in}
          </a>
        ) : null}
        <button type="button" onClick={onRetry}>
          {words.retry}
        </button>
      </p>
    </main>
  )
}
