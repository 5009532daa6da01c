import { api } from '../../kit/api.ts'
import { TrialDialog } from '../parts/trial.tsx'
import type { Carrier } from './carrier.ts'

const looks = {
  taken: { title: 'Accepted', color: 'green' },
  refused: { title: 'Rejected', color: 'red' },
  later: { title: 'Temporary failure', color: 'orange' },
  unknown: { title: 'Unknown result', color: 'orange' },
}

export function TestMessage({ carrier, close }: { carrier: Carrier; close: () => void }) {
  return (
    <TrialDialog
      name={carrier.name}
      run={(body) => api.post('/v1/carriers/{id}/test_message', { params: { id: carrier.id }, body })}
      labels={{ from: 'From', to: 'To', go: 'Send' }}
      looks={looks}
      codeWords="code"
      close={close}
    >
      Sends a real message, for example to your mobile phone.
      {carrier.kind === 'whatsapp' &&
        ' WhatsApp delivers it only to recipients who wrote to you within the last 24 hours.'}
    </TrialDialog>
  )
}
