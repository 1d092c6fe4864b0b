/** The whole app: who is signed in decides what is shown. */
import { type Query, QueryClientProvider, useQuery } from '@tanstack/react-query'
import { Suspense, useEffect, useRef } from 'react'
import { Route, Switch, useRoute } from 'wouter'
import { asApiError, whenSignedOut } from '@/api/client'
import { held, type Me, meQuery, queryClient } from '@/api/queries'
import { currentLanguage, translate, useT } from '@/i18n'
import { fetchCode } from '@/loading/fetch-code'
import { lazily } from '@/loading/lazily'
import {
  applyTheme,
  Boundary,
  Button,
  chooseLanguage,
  ErrorBox,
  listenToKeys,
  PlaceContext,
  Toasts,
  TooltipLayer,
  toast,
} from '@/ui'
import { AppActions } from './frame/AppActions'
import { Rail } from './frame/Rail'
import { ConnectionLine, LiveUpdates } from './LiveUpdates'
import { Pages } from './pages'

const SignInPage = lazily(() => fetchCode(() => import('./entrance/SignInPage')))
const StartPage = lazily(() => fetchCode(() => import('./entrance/StartPage')))
const loadRare = () => fetchCode(() => import('./entrance/rare'))
const JoinPage = lazily(async () => (await loadRare()).join())
const NoTeamPage = lazily(async () => (await loadRare()).noTeam())
const SecondFactorPage = lazily(async () => (await loadRare()).secondFactor())
const ConsentPage = lazily(async () => (await loadRare()).consent())
const ReturnPage = lazily(async () => (await loadRare()).signInReturn())

/** What the server put into words is asked for in the language that is spoken now; answers on their way are not waited for. */
async function askAnew(): Promise<void> {
  const worded = { predicate: (query: Query) => query.queryKey[0] !== 'me' }
  // one that nothing has answered yet would be left to go on, and then count as new
  await queryClient.cancelQueries(worded)
  await queryClient.invalidateQueries(worded)
}

/** The choices kept with the account win over those of the browser. */
function usePreferences(me: Me | null | undefined) {
  const theme = me?.theme
  const language = me?.language
  useEffect(() => {
    if (theme) applyTheme(theme)
  }, [theme])
  useEffect(() => {
    if (language && language !== currentLanguage()) void chooseLanguage(language).then(askAnew)
  }, [language])
}

/** Says so when the team that one was in is not one's own any more; gives the name of the last one. */
function useLostTeam(me: Me | null | undefined): string {
  const last = useRef<Me['team'] | null>(null)
  useEffect(() => {
    const before = last.current
    if (before && me && !me.teams.some((team) => team.id === before.id)) {
      toast.info(translate('app.team_lost', { team: before.name }))
    }
    if (me) last.current = me.team
  }, [me])
  return last.current?.name ?? ''
}

function Frame({ me }: { me: Me }) {
  const t = useT()
  return (
    <LiveUpdates team={me.team.id}>
      <PlaceContext value={{ team: me.team.name }}>
        <a className="skip-link" href="#main">
          {t('app.skip')}
        </a>
        <div className="flex h-dvh phone:flex-col">
          <Rail />
          <main id="main" tabIndex={-1} className="flex min-h-0 min-w-0 flex-1 flex-col">
            <ConnectionLine />
            <Pages />
          </main>
        </div>
        <AppActions />
      </PlaceContext>
    </LiveUpdates>
  )
}

/** The shape of the page until it is known who looks at it; the page itself brings the same (`index.html`). */
function Boot() {
  return (
    <div className="boot" role="status" aria-label={translate('common.loading')} aria-busy>
      <span className="boot-rail" />
      <span className="boot-bar" />
      <div className="boot-body">
        <span className="skeleton" />
        <span className="skeleton" />
        <span className="skeleton" />
        <span className="skeleton" />
      </div>
    </div>
  )
}

/** Whoever is signed in: the whole app, the question of a client that wants in, or the way back from a server's. */
function Signed({ me }: { me: Me }) {
  const [consents] = useRoute('/oauth/authorize')
  const [back] = useRoute('/oauth/callback')
  if (back) return <ReturnPage />
  return consents ? <ConsentPage /> : <Frame key={me.team.id} me={me} />
}

function Gate() {
  const { data: me, error, refetch, isFetching } = useQuery(meQuery)
  usePreferences(me)
  const lost = useLostTeam(me)
  const stop = held(error)
  if (stop?.by === 'no_team') return <NoTeamPage email={stop.email} team={lost} />
  if (stop) return <SecondFactorPage />
  if (me) return <Signed me={me} />
  if (me === null) return <SignInPage />
  if (!error) return <Boot />
  return (
    <div className="mx-auto max-w-120 p-8">
      <ErrorBox
        error={asApiError(error)}
        title={translate('common.not_loaded')}
        actions={
          <Button variant="primary" busy={isFetching} onClick={() => void refetch()}>
            {translate('common.retry')}
          </Button>
        }
      />
    </div>
  )
}

export function App() {
  useEffect(() => {
    whenSignedOut((error) => {
      if (!queryClient.getQueryData(meQuery.queryKey)) return
      if (!held(error)) queryClient.setQueryData(meQuery.queryKey, null)
      // who asks already is told by the answer
      else if (!queryClient.isFetching(meQuery)) void queryClient.invalidateQueries(meQuery)
    })
    return listenToKeys()
  }, [])
  return (
    <QueryClientProvider client={queryClient}>
      <Boundary>
        <Suspense fallback={<Boot />}>
          <Switch>
            <Route path="/start/:token" component={StartPage} />
            <Route path="/join" component={JoinPage} />
            <Route component={Gate} />
          </Switch>
        </Suspense>
      </Boundary>
      <Toasts />
      <TooltipLayer />
    </QueryClientProvider>
  )
}
