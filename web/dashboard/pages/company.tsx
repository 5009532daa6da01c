import { useSession } from '../../kit/session.tsx'
import { AuditLog } from '../parts/audit-log.tsx'
import { BlockedCallers } from '../parts/blocked-callers.tsx'
import { CompanyPlan } from '../parts/company-plan.tsx'
import { CompanySettings } from '../parts/company-settings.tsx'
import { ImportSettings } from '../parts/import-settings.tsx'
import { MailOutbox } from '../parts/mail-outbox.tsx'
import { AdminPage } from '../parts/place-tabs.tsx'
import { SecuritySettings } from '../parts/security-settings.tsx'
import { CompanyRecordingNotice } from '../recording-notice/company-notice.tsx'

export default function CompanyPage() {
  const { tenancy, user } = useSession()
  return (
    <AdminPage
      base="/dashboard/company"
      label="Settings"
      places={[
        { path: 'settings', label: 'Company', element: <CompanySettings /> },
        ...(tenancy === 'multi' ? [{ path: 'plan', label: 'Plan', element: <CompanyPlan /> }] : []),
        { path: 'security', label: 'Security', element: <SecuritySettings /> },
        { path: 'recording', label: 'Recording', element: <CompanyRecordingNotice /> },
        { path: 'blocked', label: 'Blocked callers', element: <BlockedCallers /> },
        ...(user.roles.includes('owner') ? [{ path: 'import', label: 'Import', element: <ImportSettings /> }] : []),
        { path: 'mails', label: 'Email log', element: <MailOutbox /> },
        { path: 'audit', label: 'Audit log', element: <AuditLog /> },
      ]}
    />
  )
}
