import { TrialDialog } from '../parts/trial.tsx'
import type { Carrier } from './carrier.ts'

const looks = {
  taken: { title: 'Taken', color: 'green' },
  refused: { title: 'Refused', color: 'red' },
  later: { title: 'Not now', color: 'orange' },
  unknown: { title: 'Nobody knows', color: 'orange' },
}

export function TestMessage({ carrier, close }: { carrier: Carrier; close: () => void }) {
  return (
    <TrialDialog
      name={carrier.name}
      address={`/v1/carriers/${carrier.id}/test_message`}
      labels={{ from: 'From', to: 'To', go: 'Send' }}
      looks={looks}
      codeWords="code"
      close={close}
    >
      Somebody really gets a text: your mobile phone, for example.
      {carrier.kind === 'whatsapp' && ' By WhatsApp only who has written to you within the last day.'}
    </TrialDialog>
  )
}
