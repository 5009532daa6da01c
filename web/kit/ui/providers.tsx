import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { onlineManager, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ApiError } from '../api.ts'
import { isOutage, reach } from '../reach.ts'
import { onWake } from '../wake.ts'
import { readable, theme } from './theme.ts'

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // A request that the server refuses is refused again. During an outage reading pauses until the server is back: what
      // is shown stays, and no error takes its place.
      retry: (count, error) => {
        const status = error instanceof ApiError ? error.status : 500
        if (isOutage(status)) return count < 3 || !reach.isReachable()
        return count < 3 && status >= 500
      },
      retryDelay: (count) => Math.min(1_000 * 2 ** count, 10_000),
    },
    // A change that cannot be made now fails at once: the user decides whether it is still wanted later.
    mutations: { networkMode: 'always' },
  },
})

onlineManager.setEventListener((setOnline) => reach.watch(() => setOnline(reach.isReachable())))
reach.watch(() => {
  if (reach.isReachable()) void queries.invalidateQueries()
})
onWake(() => reach.hurry())

/** Away from what was just pressed; at the top of a narrow window, where the thumbs are not. */
const toastsAt = () => (window.innerWidth < 520 ? 'top-center' : 'bottom-right')

export function Providers({ children }: { children: ReactNode }) {
  return (
    <MantineProvider theme={theme} cssVariablesResolver={readable} defaultColorScheme="auto">
      <QueryClientProvider client={queries}>
        <Notifications position={toastsAt()} limit={4} />
        {children}
      </QueryClientProvider>
    </MantineProvider>
  )
}
