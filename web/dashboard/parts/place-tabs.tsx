import { Tabs } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link, Navigate, Route, Routes, useLocation } from 'react-router'
import { isAdmin, useSession } from '../../kit/session.tsx'
import { Empty, Page } from '../../kit/ui/page.tsx'

export interface Place {
  path: string
  label: string
  element: ReactNode
}

interface Tabbed {
  /** Path of the page, such as `/dashboard/trunks`. */
  base: string
  label: string
  /** The first tab is the default. */
  places: readonly [Place, ...Place[]]
}

/** Tabs with their own URLs. */
export function PlaceTabs({ base, label, places }: Tabbed) {
  const { pathname } = useLocation()
  const [first] = places
  const open = (places.find(({ path }) => pathname.startsWith(`${base}/${path}`)) ?? first).path
  return (
    <Tabs value={open}>
      <Tabs.List aria-label={label}>
        {places.map((place) => (
          <Tabs.Tab
            key={place.path}
            value={place.path}
            renderRoot={(props) => <Link to={`${base}/${place.path}`} {...props} />}
          >
            {place.label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={open} pt="lg">
        <Routes>
          {places.map(({ path, element }) => (
            <Route key={path} path={path} element={element} />
          ))}
          <Route index element={first.element} />
          <Route path="*" element={<Navigate to={`${base}/${first.path}`} replace />} />
        </Routes>
      </Tabs.Panel>
    </Tabs>
  )
}

/** A page with tabs, for admins only. */
export function AdminPage({ lead, ...tabbed }: Tabbed & { lead?: string }) {
  const session = useSession()
  return (
    <Page title={tabbed.label} lead={isAdmin(session) ? (lead ?? session.company.name) : undefined}>
      {isAdmin(session) ? (
        <PlaceTabs {...tabbed} />
      ) : (
        <Empty title="Admin access required">Contact an owner or admin of {session.company.name}.</Empty>
      )}
    </Page>
  )
}
