import { Injectable } from '@nestjs/common';
import { DescribeTablesRepository } from './describe-tables.repository.js';

/** The tables of a workspace are on another node. */
@Injectable()
export class ClusterDescribeTablesRepository extends DescribeTablesRepository {
  protected override readonly sizeFunction = 'citus_total_relation_size';
}
