import { Badge, Paper, Skeleton, Stack, Table, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../kit/api.ts'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'

const plans = { essentials: 'Essentials', professional: 'Professional', custom: 'Custom' }
const packages = { none: 'None', assist: 'Assist', 'assist-pro': 'Assist Pro' }

/** Plan and add-ons set by the operator; shown on multi-tenant installations. */
export function CompanyPlan() {
  const { data, error, refetch } = useQuery({
    queryKey: ['company', 'plan'],
    queryFn: () => api.get('/v1/company/plan'),
  })
  if (error) return <ErrorAlert error={error} retry={() => void refetch()} />
  if (!data) return <Skeleton height={320} />
  const hasAddOns = data.plan !== 'essentials'
  return (
    <Paper withBorder p="lg" maw={560}>
      <Stack>
        <Title order={2} size="h4">
          {plans[data.plan]}
        </Title>
        <Text size="sm" c="dimmed">
          The operator of this installation sets the plan and its add-ons. Contact them to change it.
        </Text>
        <Table aria-label="Add-ons">
          <Table.Tbody>
            <Table.Tr>
              <Table.Th scope="row">AI package</Table.Th>
              <Table.Td>{hasAddOns ? packages[data.ai_package] : packages.none}</Table.Td>
            </Table.Tr>
            <AddOn label="WhatsApp" included={hasAddOns && data.whatsapp} />
            <AddOn label="Analytics+" included={hasAddOns && data.analytics_plus} />
            <AddOn label="AI agents" included={hasAddOns && data.ai_voice_agents} />
          </Table.Tbody>
        </Table>
      </Stack>
    </Paper>
  )
}

function AddOn({ label, included }: { label: string; included: boolean }) {
  return (
    <Table.Tr>
      <Table.Th scope="row">{label}</Table.Th>
      <Table.Td>
        <Badge variant="light" color={included ? 'green' : 'gray'} tt="none">
          {included ? 'Included' : 'Not included'}
        </Badge>
      </Table.Td>
    </Table.Tr>
  )
}
