import { Button } from '@mantine/core'
import { Link, useRouteError } from 'react-router'
import { ApiError } from '../kit/api.ts'
import { ErrorAlert } from '../kit/ui/error-alert.tsx'
import { Empty } from '../kit/ui/page.tsx'

/** Not-found page, and the error page of the router. */
export function Lost() {
  const error = useRouteError()
  if (error) {
    const shown =
      error instanceof ApiError ? error : new Error('This page could not be displayed. Reload it to try again.')
    return <ErrorAlert error={shown} title="Something went wrong" retry={() => window.location.reload()} />
  }
  return (
    <Empty
      title="Page not found"
      action={
        <Button component={Link} to="/dashboard" variant="light">
          Go to Home
        </Button>
      }
    />
  )
}
