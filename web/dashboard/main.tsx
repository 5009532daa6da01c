import { Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import { RouterProvider } from 'react-router'
import { lazyPart } from '../kit/load.ts'
import { SignedIn } from '../kit/session.tsx'
import { Providers } from '../kit/ui/providers.tsx'
import { router } from './router.tsx'

/** Pages that need no sign-in. */
const openPages = new Map([
  ['/download', lazyPart(() => import('./download.tsx'))],
  ['/oauth/success', lazyPart(() => import('./connected.tsx'))],
])
const Unsubscribe = lazyPart(() => import('./unsubscribe.tsx'))
const { pathname } = window.location
const OpenPage = pathname.startsWith('/unsubscribe/') ? Unsubscribe : openPages.get(pathname.replace(/\/$/, ''))

const place = document.getElementById('app')
if (!place) throw new Error('index.html has no #app element')
createRoot(place).render(
  <Providers>
    {OpenPage ? (
      <Suspense>
        <OpenPage />
      </Suspense>
    ) : (
      <SignedIn app="dashboard">
        <RouterProvider router={router} />
      </SignedIn>
    )}
  </Providers>,
)
