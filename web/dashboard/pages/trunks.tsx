import { AdminPage } from '../parts/place-tabs.tsx'
import { DialLimitsForm } from '../trunks/dial-limits.tsx'
import { TrunkList } from '../trunks/trunk-list.tsx'

export default function TrunksPage() {
  return (
    <AdminPage
      base="/dashboard/trunks"
      label="Trunks"
      lead="The lines to the telephone network, and what may be dialled over them."
      places={[
        { path: 'lines', label: 'Lines', element: <TrunkList /> },
        { path: 'limits', label: 'What may be dialled', element: <DialLimitsForm /> },
      ]}
    />
  )
}
