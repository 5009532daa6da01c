import { Badge, Button, Drawer, Group, Loader, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../kit/api.ts'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { count, dateTime } from '../../kit/ui/format.ts'
import { Empty } from '../../kit/ui/page.tsx'
import { type Flow, readFlow } from './flow.ts'

export interface ShownVersion {
  version: number
  at: string
  flow: Flow
}

/** All published versions, newest first. */
export function Versions({
  numberId,
  live,
  opened,
  close,
  view,
}: {
  numberId: number
  live: number
  opened: boolean
  close: () => void
  view: (version: ShownVersion) => void
}) {
  const { data, error, refetch } = useQuery({
    queryKey: ['number', numberId, 'versions'],
    queryFn: () => api.get('/v1/numbers/{id}/flow/versions', { params: { id: numberId } }),
    enabled: opened,
  })
  return (
    <Drawer
      opened={opened}
      onClose={close}
      position="right"
      title="Version history"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {error && <ErrorAlert error={error} retry={() => void refetch()} />}
      {!data && !error && <Loader role="status" aria-label="Loading" />}
      {data?.versions.length === 0 && <Empty title="No published versions yet" />}
      <Stack gap="xs" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
        {data?.versions.map(({ version, created_at: at, flow }) => {
          const read = readFlow(flow)
          return (
            <Group key={version} component="li" justify="space-between" wrap="nowrap">
              <div>
                <Group gap="xs">
                  <Text size="sm" fw={600}>
                    Version {version}
                  </Text>
                  {version === live && (
                    <Badge size="xs" color="green" variant="light" tt="none">
                      Live
                    </Badge>
                  )}
                </Group>
                <Text size="xs" c="dimmed">
                  {dateTime(at)} · {count(Object.keys(read?.nodes ?? {}).length, 'widget')}
                </Text>
              </div>
              {read && (
                <Button
                  size="xs"
                  variant="default"
                  aria-label={`View version ${version}`}
                  onClick={() => view({ version, at, flow: read })}
                >
                  View
                </Button>
              )}
            </Group>
          )
        })}
      </Stack>
    </Drawer>
  )
}
