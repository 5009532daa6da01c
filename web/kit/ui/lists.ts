import { useQuery } from '@tanstack/react-query'
import { api } from '../api.ts'
import type { Meta } from './table.tsx'

// The lists that pickers choose from: read whole once, and kept for a minute.

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

/** Every item of a list, page after page. */
export async function everyPage<K extends string, T>(path: string, key: K): Promise<T[]> {
  const found: T[] = []
  for (let page = 1; ; page++) {
    const answer = await api.get<{ meta: Meta } & Record<K, T[]>>(path, { page, per_page: 50 })
    found.push(...answer[key])
    if (answer[key].length === 0 || found.length >= answer.meta.total) return found
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
