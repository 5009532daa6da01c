import { CarrierList } from '../messaging/carrier-list.tsx'
import { LineTable } from '../messaging/line-table.tsx'
import { OptOuts } from '../messaging/opt-outs.tsx'
import { AdminPage } from '../parts/place-tabs.tsx'

export default function MessagingPage() {
  return (
    <AdminPage
      base="/dashboard/messaging"
      label="SMS & WhatsApp"
      lead="Carriers for SMS, MMS and WhatsApp, their numbers, and opt-outs."
      places={[
        { path: 'carriers', label: 'Carriers', element: <CarrierList /> },
        { path: 'numbers', label: 'Numbers', element: <LineTable /> },
        { path: 'opt-outs', label: 'Opt-outs', element: <OptOuts /> },
      ]}
    />
  )
}
