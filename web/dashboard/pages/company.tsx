import { useSession } from '../../kit/session.tsx'
import { AuditLog } from '../parts/audit-log.tsx'
import { CompanyPlan } from '../parts/company-plan.tsx'
import { CompanySettings } from '../parts/company-settings.tsx'
import { MailOutbox } from '../parts/mail-outbox.tsx'
import { AdminPage } from '../parts/place-tabs.tsx'

export default function CompanyPage() {
  const { tenancy } = useSession()
  return (
    <AdminPage
      base="/dashboard/company"
      label="Settings"
      places={[
        { path: 'settings', label: 'Company', element: <CompanySettings /> },
        ...(tenancy === 'multi' ? [{ path: 'plan', label: 'Plan', element: <CompanyPlan /> }] : []),
        { path: 'mails', label: 'Email log', element: <MailOutbox /> },
        { path: 'audit', label: 'Audit log', element: <AuditLog /> },
      ]}
    />
  )
}
