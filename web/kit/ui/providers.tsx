import './components.css'
import '@mantine/notifications/styles.css'
import './global.css'
import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { onlineManager, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ApiError } from '../api.ts'
import { isOutage, reach } from '../reach.ts'
import { onWake } from '../wake.ts'
import { ConflictDialog } from './conflict-dialog.tsx'
import { readable, theme } from './theme.ts'

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // A request that the server rejected is not repeated. During an outage queries pause until the server is reachable: the
      // data on the screen stays and is not replaced by an error.
      retry: (count, error) => {
        const status = error instanceof ApiError ? error.status : 500
        if (isOutage(status)) return count < 3 || !reach.isReachable()
        return count < 3 && status >= 500
      },
      retryDelay: (count) => Math.min(1_000 * 2 ** count, 10_000),
    },
    // A mutation fails at once during an outage: the user decides whether to repeat it.
    mutations: { networkMode: 'always' },
  },
})

onlineManager.setEventListener((setOnline) => reach.watch(() => setOnline(reach.isReachable())))
reach.watch(() => {
  if (reach.isReachable()) void queries.invalidateQueries()
})
onWake(() => reach.hurry())

/** Bottom right on wide windows; at the top of narrow ones, where toasts do not cover the buttons. */
const toastPosition = () => (window.innerWidth < 520 ? 'top-center' : 'bottom-right')

export function Providers({ children }: { children: ReactNode }) {
  return (
    <MantineProvider theme={theme} cssVariablesResolver={readable} defaultColorScheme="auto">
      <QueryClientProvider client={queries}>
        <Notifications position={toastPosition()} limit={4} />
        {children}
        <ConflictDialog />
      </QueryClientProvider>
    </MantineProvider>
  )
}
