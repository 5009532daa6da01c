import { Button } from '@mantine/core'
import { Link, useRouteError } from 'react-router'
import { ApiError } from '../kit/api.ts'
import { Empty } from '../kit/ui/page.tsx'
import { Trouble } from '../kit/ui/trouble.tsx'

/** An address that leads nowhere, or a page that broke. */
export function Lost() {
  const error = useRouteError()
  if (error) {
    const shown = error instanceof ApiError ? error : new Error('This page could not be shown. Reload it.')
    return <Trouble error={shown} title="Something went wrong" retry={() => window.location.reload()} />
  }
  return (
    <Empty
      title="There is no such page"
      action={
        <Button component={Link} to="/dashboard/calls" variant="light">
          Go to the calls
        </Button>
      }
    />
  )
}
