import { createRoot } from 'react-dom/client'
import { SignedIn } from '../kit/session.tsx'
import { Providers } from '../kit/ui/providers.tsx'
import './notifications/install.ts'
import { PhoneApp } from './phone.tsx'

const root = document.getElementById('app')
if (!root) throw new Error('index.html has no #app element')
createRoot(root).render(
  <Providers>
    <SignedIn app="phone">
      <PhoneApp />
    </SignedIn>
  </Providers>,
)
