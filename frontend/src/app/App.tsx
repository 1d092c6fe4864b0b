/** The whole app: who is signed in decides what is shown. */
import { QueryClientProvider, useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useRef } from 'react'
import { Route, Switch } from 'wouter'
import { asApiError, whenSignedOut } from '@/api/client'
import { held, type Me, meQuery, queryClient } from '@/api/queries'
import { currentLanguage, loadRest, translate, useT } from '@/i18n'
import {
  applyTheme,
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

const SignInPage = lazy(() => import('./entrance/SignInPage'))
const StartPage = lazy(() => import('./entrance/StartPage'))
const JoinPage = lazy(async () => {
  const [file] = await Promise.all([import('./entrance/JoinPage'), loadRest()])
  return file
})
const NoTeamPage = lazy(async () => {
  const [file] = await Promise.all([import('./entrance/NoTeamPage'), loadRest()])
  return { default: file.NoTeamPage }
})

const SecondFactorPage = lazy(async () => {
  const [file] = await Promise.all([import('./entrance/SecondFactorPage'), loadRest()])
  return { default: file.SecondFactorPage }
})

/** What the server put into words is asked for in the language that is spoken now. */
const askAnew = () => queryClient.invalidateQueries({ predicate: (query) => query.queryKey[0] !== 'me' })

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

function Gate() {
  const { data: me, error, refetch, isFetching } = useQuery(meQuery)
  usePreferences(me)
  const lost = useLostTeam(me)
  const stop = held(error)
  if (stop?.by === 'no_team') return <NoTeamPage email={stop.email} team={lost} />
  if (stop) return <SecondFactorPage />
  if (me) return <Frame key={me.team.id} me={me} />
  if (me === null) return <SignInPage />
  if (!error) return <Boot />
  return (
    <div className="mx-auto max-w-120 p-8">
      <ErrorBox
        error={asApiError(error)}
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
      <Suspense fallback={<Boot />}>
        <Switch>
          <Route path="/start/:token" component={StartPage} />
          <Route path="/join" component={JoinPage} />
          <Route component={Gate} />
        </Switch>
      </Suspense>
      <Toasts />
      <TooltipLayer />
    </QueryClientProvider>
  )
}
