// What other contexts use of accounts.
export { raiseAlert } from './alerts/raise.ts'
export { findKey } from './api-keys/store.ts'
export {
  addDone,
  type BulkChange,
  type BulkChangeRow,
  findBulkChange,
  insertBulkChange,
  markRow,
  markUndone,
  markWritten,
  moveBulkChange,
  nextRows,
  recentBulkChanges,
  writtenRows,
} from './audit/bulk-change-store.ts'
export {
  type Actor,
  actorOf,
  audit,
  auditAlone,
  continueAudit,
  expireEntries,
  operatorActor,
  unknownActor,
  userActor,
} from './audit/record.ts'
export { bulkRoute } from './bulk-export/bulk-route.ts'
export { mayActFor, mayUse } from './companies/entitlements.ts'
export {
  companyCountry,
  countriesOfCompany,
  countryOfCompany,
  findCompany,
  hasTags,
  listCompanies,
  lockCompany,
  maxTeams,
  updateCompany,
} from './companies/store.ts'
export { findIntegration, type Integration, listIntegrations, type Which } from './credentials/integrations-store.ts'
export { admins, anyRole, mayChangeAll, maySeeAll, requireOwn, userIdOf } from './credentials/roles.ts'
export { isSessionOpen } from './credentials/store.ts'
export { deleteOldDirectMessages } from './direct-messages/store.ts'
export { queueMail } from './emails/queue.ts'
export { exampleNumber } from './numbers/event-samples.ts'
export { EventNumber, NestedNumber, nestedNumber } from './numbers/nested.ts'
export {
  findNumber,
  findNumberByDigits,
  findPastNumbers,
  linkedNumberIds,
  linkedUserIds,
  lockNumber,
  type NumberChange,
  numberByDigits,
  numbersAmong,
  numbersById,
  ownCountries,
  type PhoneNumber,
  pageOfNumbers,
  parsedFlow as flowOf,
  pastNumberNames,
  publishFlow,
  updateNumber,
  withFlow,
} from './numbers/store.ts'
export { callWasTagged, tagsBecameOptional } from './presence/actions.ts'
export { joinTeam } from './teams/join.ts'
export {
  addMember,
  countTeams,
  existingTeams,
  findPastTeams,
  findTeam,
  insertTeam,
  pastTeamNames,
  type TeamName,
  teamNamesAmong,
  teamsOfUsers,
} from './teams/store.ts'
export {
  invitationLink,
  inviteUser,
  newInvitation,
  removeUsersIn,
  sendInvitation,
} from './users/actions.ts'
export { type ImportedUser, insertUsers, lockUsers, takenNames, teamsByName } from './users/batch-store.ts'
export { workingHoursOf } from './users/edited.ts'
export { exampleUser } from './users/event-samples.ts'
export { renderUserFacts, userPayloads } from './users/events.ts'
export { NestedUser, nestedUser } from './users/nested.ts'
export { createDeactivatedUser } from './users/new-user.ts'
export {
  adminsAndCreator,
  allUsers,
  findUser,
  insertUser,
  lockUser,
  rolesOf,
  rolesOfUsers,
  type User,
  updateUser,
  usersAmong,
  usersById,
} from './users/store.ts'
