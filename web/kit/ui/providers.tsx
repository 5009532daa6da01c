import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ApiError } from '../api.ts'
import { readable, theme } from './theme.ts'

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // What the server refuses it will refuse again; what did not reach it is worth a second try.
      retry: (count, error) => count < 3 && !(error instanceof ApiError && error.status >= 400 && error.status < 500),
    },
  },
})

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
