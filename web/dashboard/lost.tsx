import { Button } from '@mantine/core'
import { Link, useRouteError } from 'react-router'
import { Empty } from '../kit/ui/page.tsx'
import { Trouble } from '../kit/ui/trouble.tsx'

/** An address that leads nowhere, or a page that broke. */
export function Lost() {
  const error = useRouteError()
  if (error) return <Trouble error={error} retry={() => window.location.reload()} />
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
