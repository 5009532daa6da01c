import { Center, Loader } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, Suspense, useContext, useEffect, useState, useSyncExternalStore } from 'react'
import { api, whenEnrolmentRequired, whenSignedOut } from './api.ts'
import { inCall } from './in-call.ts'
import { lazyPart } from './load.ts'
import { readSession, type Session, sessionKey } from './session-query.ts'
import { SignIn } from './sign-in.tsx'
import { isSsoCallback } from './sso.tsx'
import { ErrorAlert } from './ui/error-alert.tsx'
import { Reconnecting } from './ui/reconnecting.tsx'

export type { Role, Session } from './session-query.ts'

const MustEnrol = lazyPart(() => import('./account/must-enrol.tsx'))

const Context = createContext<Session | undefined>(undefined)

/** Only inside `SignedIn`. */
export function useSession(): Session {
  const session = useContext(Context)
  if (!session) throw new Error('useSession is used outside SignedIn')
  return session
}

export const isAdmin = ({ user }: Session) => user.roles.some((role) => role === 'owner' || role === 'admin')
/** May add numbers and verify caller IDs. */
export const managesNumbers = (session: Session) => isAdmin(session) && session.tenancy === 'single'
/** May open the dashboard. */
export const canViewDashboard = (session: Session) => isAdmin(session) || session.user.roles.includes('supervisor')

/**
 * Shows the app to a signed-in user and the sign-in screen otherwise. An outage does not end the session: only a response of
 * the server does. A call in progress then stays mounted behind the sign-in screen.
 */
export function SignedIn({ children, app }: { children: ReactNode; app: 'dashboard' | 'phone' }) {
  const queries = useQueryClient()
  const { data, error, refetch } = useQuery({ queryKey: sessionKey, queryFn: readSession, staleTime: 60_000 })
  const [last, setLast] = useState<Session>()
  // Until the user has saved the recovery codes, which a newer session must not hide.
  const [isEnrolling, setEnrolling] = useState(false)
  const isInCall = useSyncExternalStore(inCall.watch, inCall.get)
  useEffect(() => whenSignedOut(() => queries.setQueryData(sessionKey, null)), [queries])
  useEffect(() => whenEnrolmentRequired(() => void queries.invalidateQueries({ queryKey: sessionKey })), [queries])
  if (data && data !== last) setLast(data)
  if (data?.two_step === 'required' && !isEnrolling) setEnrolling(true)
  if (data === undefined && !last) {
    return error ? <ErrorAlert error={error} retry={() => void refetch()} /> : <Opening />
  }
  // The provider signs a user in, also while another one is signed in.
  const isSignedOut = data === null || isSsoCallback()
  const mustEnrol = !isSignedOut && isEnrolling && data !== null && data !== undefined
  const isLocked = isSignedOut || mustEnrol
  const shown = isLocked && !isInCall ? undefined : (data ?? last)
  return (
    <>
      {shown && (
        <Context.Provider value={shown}>
          <div style={{ display: isLocked ? 'none' : 'contents' }} inert={isLocked}>
            {children}
          </div>
        </Context.Provider>
      )}
      {isSignedOut && <SignIn app={app} last={data === null ? last : undefined} isInCall={isInCall} />}
      {mustEnrol && (
        <Suspense fallback={<Opening />}>
          <MustEnrol
            session={data}
            done={() => void refetch().then(() => setEnrolling(false))}
            signOut={() => void signOut()}
          />
        </Suspense>
      )}
    </>
  )
}

function Opening() {
  return (
    <Center h="100vh" style={{ flexDirection: 'column', gap: 16 }}>
      <Loader role="status" aria-label="Loading" />
      <Reconnecting />
    </Center>
  )
}

export async function signOut(everywhere = false): Promise<void> {
  await api.delete(everywhere ? '/v1/sessions' : '/v1/session')
  window.location.reload()
}
