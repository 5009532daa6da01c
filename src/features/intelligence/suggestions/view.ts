import { Type } from 'typebox'
import type { SuggestionShown } from '../../../domain/intelligence/suggestions.ts'
import { nullable, oneOf } from '../../../http/schemas.ts'
import type { Suggestion } from '../results/store.ts'

export const SuggestionView = Type.Object({
  id: Type.Integer({ description: 'Number of the suggestion in its call' }),
  at: Type.Integer({ description: 'Start of the utterance in UNIX milliseconds' }),
  heading: nullable(Type.String({ description: 'Heading of the section of the document' })),
  text: Type.String(),
  document: Type.String({ description: 'Name of the document' }),
  url: nullable(Type.String({ description: 'Address of the web page; null for a file' })),
  by: oneOf(['meaning', 'words'], { description: 'How the passage was found' }),
})

export const suggestionView = ({ userIds: _users, ...suggestion }: Suggestion): SuggestionShown => suggestion
