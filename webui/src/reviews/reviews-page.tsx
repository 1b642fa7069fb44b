import { Button, Paper, Table } from "@mantine/core";
import { IconEyeCheck } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { queries } from "../api/queries";
import { VersionModal } from "../glue/version-modal";
import { Empty } from "../ui/empty";
import { Instant } from "../ui/instant";
import { AnchorLink } from "../ui/links";
import { PageHead } from "../ui/page-head";
import { Pager } from "../ui/pager";
import { QueryError } from "../ui/query-error";
import { RowSkeletons } from "../ui/row-skeletons";

const columns = ["job", "version", "remark", "author", "at"] as const;

/** What waits for a second pair of eyes. */
export function ReviewsPage() {
  const { t } = useTranslation();
  const filter = useSearch({ from: "/reviews" });
  const navigate = useNavigate({ from: "/reviews" });
  const reviews = useQuery(queries.reviews(filter));
  const [opened, setOpened] = useState<{ jobID: number; number: number }>();
  return (
    <>
      <PageHead title={t("nav.reviews")} text={t("review.text")} />
      {reviews.error && !reviews.data ? (
        <QueryError error={reviews.error} onRetry={() => void reviews.refetch()} />
      ) : (
        <Paper withBorder>
          <Table verticalSpacing={6} aria-busy={reviews.isPending}>
            <Table.Thead>
              <Table.Tr>
                {columns.map((column) => (
                  <Table.Th key={column}>{t(`review.column.${column}`)}</Table.Th>
                ))}
                <Table.Th />
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {reviews.data ? (
                reviews.data.items.map((item) => (
                  <Table.Tr key={`${item.job_id}/${item.number}`}>
                    <Table.Td>
                      <AnchorLink to="/jobs/$jobID/glue" params={{ jobID: item.job_id }} size="sm">
                        {item.job_name}
                      </AnchorLink>
                    </Table.Td>
                    <Table.Td>v{item.number}</Table.Td>
                    <Table.Td>{item.remark}</Table.Td>
                    <Table.Td>{item.author}</Table.Td>
                    <Table.Td>
                      <Instant at={item.created_at} />
                    </Table.Td>
                    <Table.Td>
                      <Button
                        size="compact-sm"
                        variant="light"
                        onClick={() => setOpened({ jobID: item.job_id, number: item.number })}
                      >
                        {t("review.open")}
                      </Button>
                    </Table.Td>
                  </Table.Tr>
                ))
              ) : (
                <RowSkeletons columns={columns.length + 1} />
              )}
            </Table.Tbody>
          </Table>
          {reviews.data?.items.length === 0 && (
            <Empty
              icon={<IconEyeCheck />}
              title={t("review.emptyTitle")}
              text={t("review.emptyText")}
            />
          )}
        </Paper>
      )}
      <Pager
        list={reviews.data}
        cursor={filter.cursor}
        onCursor={(cursor) => void navigate({ search: (old) => ({ ...old, cursor }) })}
      />
      {opened && <OpenedVersion {...opened} onClose={() => setOpened(undefined)} />}
    </>
  );
}

interface OpenedProps {
  jobID: number;
  number: number;
  onClose: () => void;
}

function OpenedVersion({ jobID, number, onClose }: OpenedProps) {
  const job = useQuery(queries.job(jobID));
  if (job.error) return <QueryError error={job.error} onRetry={() => void job.refetch()} />;
  return job.data && <VersionModal job={job.data} number={number} onClose={onClose} />;
}
