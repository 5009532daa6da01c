import { Stack } from '@mantine/core'
import { AdminPage } from '../parts/place-tabs.tsx'
import { DialLimitsForm } from '../trunks/dial-limits.tsx'
import { MessageLimitsForm } from '../trunks/message-limits.tsx'
import { TrunkList } from '../trunks/trunk-list.tsx'

export default function TrunksPage() {
  return (
    <AdminPage
      base="/dashboard/trunks"
      label="Trunks"
      lead="The connections to the telephone network, and the rules for outbound calls and messages."
      places={[
        { path: 'lines', label: 'Lines', element: <TrunkList /> },
        { path: 'limits', label: 'Outbound rules', element: <OutboundRules /> },
      ]}
    />
  )
}

function OutboundRules() {
  return (
    <Stack gap="lg">
      <DialLimitsForm />
      <MessageLimitsForm />
    </Stack>
  )
}
