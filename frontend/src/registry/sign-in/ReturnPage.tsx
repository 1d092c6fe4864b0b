/** Where an authorization server sends a person back to: the code is taken for tokens, then the server's page shows. */
import { LoaderCircle } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useLocation } from 'wouter'
import { asApiError } from '@/api/client'
import { useT } from '@/i18n'
import { Button, ErrorBox } from '@/ui'
import { leftFrom, useReturn } from './data'

/** What stands in the address, once: it is taken out of it at once, and out of the history. */
function taken() {
  const query = new URLSearchParams(window.location.search)
  window.history.replaceState(null, '', window.location.pathname)
  const text = (name: string) => query.get(name) ?? ''
  return {
    state: text('state'),
    code: text('code'),
    iss: text('iss'),
    error: text('error'),
    error_description: text('error_description'),
  }
}

export default function ReturnPage() {
  const t = useT()
  const [, navigate] = useLocation()
  const back = useReturn()
  const begun = useRef(false)
  const { mutate } = back
  useEffect(() => {
    if (begun.current) return
    begun.current = true
    mutate(taken(), { onSuccess: ({ slug }) => navigate(`/registry/${slug}/overview`, { replace: true }) })
  }, [mutate, navigate])
  const server = leftFrom()
  return (
    <main className="mx-auto grid max-w-120 gap-4 p-8">
      {back.error ? (
        <ErrorBox
          title={t('signin.failed')}
          error={asApiError(back.error)}
          actions={
            <Button
              variant="primary"
              onClick={() =>
                navigate(server ? `/registry/${server}/overview` : '/registry', { replace: true })
              }
            >
              {t('signin.to_server')}
            </Button>
          }
        />
      ) : (
        <p className="status" data-tone="running" role="status">
          <LoaderCircle size={14} className="animate-spin" aria-hidden />
          {t('signin.returning')}
        </p>
      )}
    </main>
  )
}
