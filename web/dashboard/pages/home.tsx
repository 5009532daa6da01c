import { SimpleGrid, Skeleton, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../kit/api.ts'
import { useSession } from '../../kit/session.tsx'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { Page } from '../../kit/ui/page.tsx'
import { Checklist, useHiddenChecklist } from '../home/checklist.tsx'
import { Region } from '../home/region.tsx'
import { HealthTiles, TodayTiles } from '../home/tiles.tsx'
import { ToDoPreview } from '../home/to-do.tsx'

export default function HomePage() {
  const { user, company } = useSession()
  const { data, error, refetch } = useQuery({
    queryKey: ['home'],
    queryFn: () => api.get('/v1/home'),
    refetchInterval: 5_000,
    // The next interval retries.
    retry: false,
  })
  const [isHidden, setHidden] = useHiddenChecklist(company.id)
  const isSettingUp = data?.setup && !data.setup.complete
  const hasNumber = !data?.setup || data.setup.steps.some(({ kind, done }) => kind === 'number' && done)
  return (
    <Page title="Home" lead={`${user.first_name ? `Hello ${user.first_name}. ` : ''}Today at ${company.name}.`}>
      {error && (
        <ErrorAlert
          error={error}
          retry={() => void refetch()}
          title={data ? 'Live updates interrupted' : 'The overview could not be loaded'}
        />
      )}
      {!data && !error && <Waiting />}
      {data && <Region />}
      {data?.setup && isSettingUp && <Checklist setup={data.setup} isHidden={isHidden} setHidden={setHidden} />}
      {data && hasNumber && (
        <Stack gap="lg">
          <TodayTiles home={data} />
          <ToDoPreview home={data} />
          <HealthTiles home={data} />
        </Stack>
      )}
    </Page>
  )
}

function Waiting() {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }}>
      {[0, 1, 2, 3].map((key) => (
        <Skeleton key={key} height={104} />
      ))}
    </SimpleGrid>
  )
}
