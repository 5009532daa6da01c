import { useQuery } from '@tanstack/react-query'
import { api } from '../../kit/api.ts'
import type { Guide } from './guide.ts'

export const guidesKey = ['intelligence', 'guides']

export const useGuides = () =>
  useQuery({
    queryKey: guidesKey,
    queryFn: async () => (await api.get('/v1/intelligence/guides')).guides as Guide[],
    staleTime: 30_000,
  })
