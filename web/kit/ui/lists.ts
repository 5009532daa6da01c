import { useQuery } from '@tanstack/react-query'
import { api } from '../api.ts'
import type { Meta } from './table.tsx'

// Complete lists for pickers, cached for a minute.

export interface UserItem {
  id: number
  name: string
  email: string
  available: boolean
  availability_status: 'available' | 'custom' | 'unavailable'
  substatus: string
  created_at: string
  time_zone: string
  language: string
  wrap_up_time: number
  extension: string
  default_number_id: number | null
}

export interface TeamItem {
  id: number
  name: string
  created_at: string
  users: { id: number; name: string; email: string }[]
}

export interface TagItem {
  id: number
  name: string
  color: string
  description: string | null
}

export interface NumberItem {
  id: number
  name: string
  digits: string
  country: string
  time_zone: string
  open: boolean
  users: { id: number; name: string }[]
}

/** All items of a list, read page by page. */
export async function everyPage<K extends string, T>(path: string, key: K): Promise<T[]> {
  const found: T[] = []
  for (let page = 1; ; page++) {
    const response = await api.get<{ meta: Meta } & Record<K, T[]>>(path, { page, per_page: 50 })
    found.push(...response[key])
    if (response[key].length === 0 || found.length >= response.meta.total) return found
  }
}

const staleTime = 60_000

export const useUsers = () =>
  useQuery({ queryKey: ['users', 'all'], staleTime, queryFn: () => everyPage<'users', UserItem>('/v2/users', 'users') })

export const useTeams = () =>
  useQuery({ queryKey: ['teams', 'all'], staleTime, queryFn: () => everyPage<'teams', TeamItem>('/v1/teams', 'teams') })

export const useTags = () =>
  useQuery({ queryKey: ['tags', 'all'], staleTime, queryFn: () => everyPage<'tags', TagItem>('/v1/tags', 'tags') })

export const useNumbers = () =>
  useQuery({
    queryKey: ['numbers', 'all'],
    staleTime,
    queryFn: () => everyPage<'numbers', NumberItem>('/v1/numbers', 'numbers'),
  })
