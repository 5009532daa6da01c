import { Stack } from '@mantine/core'
import { AdminPage } from '../parts/place-tabs.tsx'
import { DialLimitsForm } from '../trunks/dial-limits.tsx'
import { MessageLimitsForm } from '../trunks/message-limits.tsx'
import { TrunkList } from '../trunks/trunk-list.tsx'

export default function TrunksPage() {
  return (
    <AdminPage
      base="/dashboard/trunks"
      label="SIP trunks"
      lead="Connections to the public telephone network, and rules for outbound calls and messages."
      places={[
        { path: 'lines', label: 'SIP trunks', element: <TrunkList /> },
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
